-- online
-- Ids of requests are random, and in one index over all of the log each lands on a page of its own: with ten million events that index no longer fits
-- into a small server's buffers, and every page that is touched is written to the log as a whole after each checkpoint. In blocks of 2^20
-- positions what is new lands in the last block.
create index concurrently if not exists events_request_in_block on events (((position >> 20)::integer), hashtext(request_id), position);
drop index concurrently if exists events_request;
