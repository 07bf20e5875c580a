#include "pugixml.hpp"

#include <cstdlib>
#include <sstream>
#include <string>

// Write a document, and read it.
extern "C" void program(int times) {
  for (int t = 0; t < times; t++) {
    pugi::xml_document made, read;
    auto root = made.append_child("all");
    for (int i = 0; i < 8000; i++) {
      auto one = root.append_child("one");
      one.append_attribute("number") = i;
      one.append_child("name").text() = "a <name> & more";
    }
    std::ostringstream text;
    made.save(text);
    if (!read.load_string(text.str().c_str())) std::abort();
    if (read.select_nodes("//one[@number > 10]/name").empty()) std::abort();
  }
}
