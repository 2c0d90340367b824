/** Bounds that a server, database or role may have, and that end a change of a big table, or a wait for old transactions, half-way. The one of a transaction is of PostgreSQL 17. */
const BOUNDS = ['statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout'];

/** Whoever asked may have been ended meanwhile: the server then ends its transaction, and holds no table for nobody. */
const ENDS_WITH_CLIENT = `do $$ begin
  perform set_config('client_connection_check_interval', '2s', true);
exception when invalid_parameter_value then null;
end $$`;

/**
 * Statements that take every bound from this connection, or from this transaction; of a transaction the server ends what it works on when the client is
 * gone. Where it cannot see that (on Windows), it works on to the end of the statement. An index that is made beside writers stands in nobody's way: it is
 * made to its end, and found by who starts next.
 */
export const unbounded = (lasting: 'transaction' | 'connection'): readonly string[] => {
  const isLocal = lasting === 'transaction';
  const names = BOUNDS.map((name) => `'${name}'`).join(', ');
  const unbound = `select set_config(name, '0', ${isLocal}) from pg_settings where name in (${names})`;
  return isLocal ? [unbound, ENDS_WITH_CLIENT] : [unbound];
};
