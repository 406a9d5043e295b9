"""A worker process: started and replaced by a pool, registered with the kernel, serving until stopped."""
