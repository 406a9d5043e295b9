"""Jobs that persons perform: lists, taking, completing, and the places of lists."""

from flows.capabilities.tasks import api, choices, deadlines, many

clear_places = choices.clear_task_places
complete = api.complete_task
complete_many = many.complete_tasks
done = api.done_tasks
extend_deadline = deadlines.extend_task_deadline
fail = api.fail_task
give = api.give_task
keep_late = deadlines.keep_late_task
list = choices.task_list
listed = api.listed_tasks
load = api.task_load
lost = deadlines.lost_task
newest = api.newest_tasks
of_flow = api.flow_tasks
of_instance = api.instance_tasks
of_other_rules = api.tasks_of_other_rules
of_others = api.tasks_of_others
open = api.open_tasks
own = api.own_tasks
place = choices.place_task
put_aside = api.put_task_aside
read = api.read_task
release = api.release_task
set_list = choices.set_task_list
start = api.start_task
take = api.take_task
take_first = api.take_first_task
take_many = many.take_tasks
take_next = api.take_next_task
team_load = api.team_load
