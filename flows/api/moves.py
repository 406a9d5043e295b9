"""Instances that are handed to other installations and back."""

from flows.capabilities.moves import api, exchange

identity = api.identity
create_identity = api.create_identity
save_peer = api.save_peer
remove_peer = api.remove_peer
peers = api.peers
hand_over = api.hand_over
take_back = api.take_back
list = api.moves
read = api.move
definition = api.move_definition
places = api.places
problems = api.move_problems
due = api.due_moves
not_sent = api.not_sent
message = exchange.message
receive = exchange.receive
