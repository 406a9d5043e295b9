"""The roles that a database's privileges name: they belong to the server, so dumps do not have them."""

from __future__ import annotations

from typing import Any

from psycopg import sql

# Owners and grantees of all objects of the database, without the server's own roles.
_NAMED = """
select r.rolname, r.rolcanlogin, r.rolconnlimit,
       coalesce((select s.setconfig from pg_catalog.pg_db_role_setting s
                 where s.setrole = r.oid and s.setdatabase = d.oid), '{}') as settings,
       coalesce((select array_agg(m.rolname order by m.rolname) from pg_catalog.pg_auth_members a
                 join pg_catalog.pg_roles m on m.oid = a.roleid where a.member = r.oid), '{}') as member_of
from pg_catalog.pg_roles r
cross join (select oid from pg_catalog.pg_database where datname = current_database()) d
where r.rolname !~ '^pg_'
  and exists (select from pg_catalog.pg_shdepend s where s.dbid = d.oid and s.refobjid = r.oid
              and s.refclassid = 'pg_catalog.pg_authid'::regclass)
order by r.rolname
"""
_PASSWORDS = "select rolname, rolpassword from pg_catalog.pg_authid where rolpassword is not null"


def named(cursor: Any) -> list[dict[str, Any]]:
    """Return the roles that own or may use objects of the database, with passwords if they are readable.

    Passwords are hashes, and only a superuser can read them.
    """
    cursor.execute("select rolsuper from pg_catalog.pg_roles where rolname = current_user")
    passwords: dict[str, str] = {}
    if cursor.fetchone()[0]:
        cursor.execute(_PASSWORDS)
        passwords = dict(cursor.fetchall())
    cursor.execute(_NAMED)
    return [
        {"name": name, "login": login, "limit": limit, "settings": list(settings), "member_of": list(groups),
         "password": passwords.get(name)}
        for name, login, limit, settings, groups in cursor.fetchall()
    ]  # fmt: skip


def create_missing(cursor: Any, roles: list[dict[str, Any]]) -> list[str]:
    """Create the roles that the server does not have, and set the settings of all; return the new names.

    An existing role keeps its password and its privileges. No role becomes a superuser or may create roles.
    """
    made = [role for role in roles if not _exists(cursor, role["name"])]
    for role in made:
        cursor.execute(
            sql.SQL("create role {} {}").format(sql.Identifier(role["name"]), _options(role)).as_string()
        )
    for role in made:
        for group in role["member_of"]:
            if not group.startswith("pg_") and _exists(cursor, group):
                statement = sql.SQL("grant {} to {}").format(
                    sql.Identifier(group), sql.Identifier(role["name"])
                )
                cursor.execute(statement.as_string())
    for role in roles:
        _set(cursor, role)
    return [role["name"] for role in made]


def _options(role: dict[str, Any]) -> sql.Composable:
    options: list[sql.Composable] = [
        sql.SQL("login" if role["login"] else "nologin"),
        sql.SQL(f"connection limit {int(role['limit'])}"),
    ]
    if role["password"]:
        options.append(sql.SQL("password {}").format(sql.Literal(role["password"])))
    return sql.SQL(" ").join(options)


def _set(cursor: Any, role: dict[str, Any]) -> None:
    """Apply the role's settings for the database of the backup to this database."""
    cursor.execute("select current_database()")
    (database,) = cursor.fetchone()
    for setting in role["settings"]:
        name, _, value = setting.partition("=")
        values = [part.strip().strip('"') for part in value.split(",")] if name == "search_path" else [value]
        statement = sql.SQL("alter role {} in database {} set {} = {}").format(
            sql.Identifier(role["name"]), sql.Identifier(database), sql.Identifier(name),
            sql.SQL(", ").join(map(sql.Literal, values)),
        )  # fmt: skip
        cursor.execute(statement.as_string())


def _exists(cursor: Any, name: str) -> bool:
    cursor.execute("select from pg_catalog.pg_roles where rolname = %s", [name])
    return cursor.fetchone() is not None
