"""What a worker does with jobs: take, lease, extend, complete, fail, release."""

from flows.engine import jobs, results

complete = results.complete
complete_many = results.complete_many
extend = jobs.extend
fail = results.fail
fail_many = results.fail_many
lease_many = jobs.lease_many
offer = jobs.offer
release = jobs.release
take = jobs.take
take_many = jobs.take_many
