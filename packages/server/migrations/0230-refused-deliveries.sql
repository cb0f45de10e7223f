-- The last delivery that a webhook trigger refused, and why. Null if it refused none.
alter table triggers
  add column last_refused_at timestamptz,
  add column last_refusal text;
