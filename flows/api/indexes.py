"""Indexes on attributes, which lists by a value need in large flows."""

from flows.engine import indexes

build = indexes.build_indexes
list = indexes.list_indexes
of_attribute = indexes.attribute_index
request = indexes.request_index
withdraw = indexes.withdraw_index
