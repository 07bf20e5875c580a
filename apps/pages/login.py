"""Who uses the app: a login by OpenID Connect, where `pwh ui --auth` states one, and roles."""

from __future__ import annotations

import os

import streamlit as st

from apps.pages.components import component
from apps.pages.text import plain
from apps.reports.roles import ROLES

AUTH = "PWH_AUTH"
"""The variable that says whether there is a login."""
EVERYBODY = "*"


def let_in() -> bool:
    """Return whether the user may see pages; else show the login, or why not."""
    if not _has_login():
        return True
    if not st.user.is_logged_in:
        component("address")(key="address", data={"isLogin": True})
        st.title("pwh", anchor=False)
        st.button("Log in", icon=":material/login:", type="primary", on_click=st.login)
        return False
    if _role() is None:
        st.warning(plain(f"{user() or 'This account'} has no role in this warehouse's app."))
        st.button("Log out", icon=":material/logout:", on_click=st.logout)
        return False
    return True


def show_user() -> None:
    """Show who is logged in, and the way out."""
    if _has_login():
        st.caption(plain(f"{user()} ({_role()})"))
        st.button("Log out", icon=":material/logout:", type="tertiary", on_click=st.logout)


def user() -> str | None:
    """Return the address of who is logged in; None without a login, or where it is not verified."""
    if not _has_login() or not st.user.is_logged_in or st.user.get("email_verified") is False:
        return None
    found = st.user.get("email")
    return None if found is None else str(found)


def may(role: str) -> bool:
    """Return whether the user may do what a role of `ROLES` may; without a login everybody may."""
    if not _has_login():
        return True
    own = _role()
    return own is not None and ROLES.index(own) >= ROLES.index(role)


def _has_login() -> bool:
    return os.environ.get(AUTH) == "1"


def _role() -> str | None:
    roles = st.secrets.get("roles", {})
    found = roles.get(user()) or roles.get(EVERYBODY)
    return None if found is None else str(found)
