"""AMD's rocprof, rocprofv3 and rocmProfileData: CSV traces and rocpd databases."""
