/** Bounds that a server, database or role may have, and that end a change of a big table, or a wait for old transactions, half-way. The one of a transaction is of PostgreSQL 17. */
const BOUNDS = ['statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout'];

/** Whoever asked may have been ended meanwhile: the server then ends what it works on, and holds no table for nobody. */
const LOOK_EVERY = '2s';

/**
 * Statements that take every bound from this transaction, or from this connection, and have the server end it when the client is gone. Where it cannot
 * see that (on Windows), it works on to the end of the statement.
 */
export const unbounded = (lasting: 'transaction' | 'connection'): readonly string[] => {
  const isLocal = lasting === 'transaction';
  const names = BOUNDS.map((name) => `'${name}'`).join(', ');
  return [
    `select set_config(name, '0', ${isLocal}) from pg_settings where name in (${names})`,
    `do $$ begin
       perform set_config('client_connection_check_interval', '${LOOK_EVERY}', ${isLocal});
     exception when invalid_parameter_value then null;
     end $$`,
  ];
};
