-- Which process has a delivery in hand, so that those of one that is known to be dead need not wait until their leases have run out.
alter table webhook_deliveries add column lease_holder text;
