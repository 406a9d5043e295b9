"""Forms of tasks: what they show, what was typed, and files."""

from flows.capabilities.tasks import forms

attach_file = forms.attach_task_file
choices = forms.task_choices
form = forms.task_form
keep_draft = forms.keep_task_draft
preview = forms.preview_task
preview_form = forms.preview_form
read_draft = forms.read_task_draft
read_file = forms.read_task_file
