import { Client } from 'pg';

/** Rows of a statement, over a connection of its own: of PostgreSQL itself, or of a pooler's console. */
export async function rowsOf<Row = Record<string, unknown>>(url: string, statement: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows as Row[];
  } finally {
    await client.end();
  }
}
