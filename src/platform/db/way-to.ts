import { Client } from 'pg';
import { serverOf } from './open.ts';

/** Longest wait for a server. Milliseconds. */
const TIMEOUT_MS = 5000;

/** How a connection to a database runs. */
export interface Way {
  /** Of the server, or of what stands before it; null for a socket of this machine. */
  address: string | null;
  isEncrypted: boolean;
}

/** The way to the database of an address, as every connection to it takes it. Throws what the server says. */
export async function wayTo(url: string): Promise<Way> {
  const client = new Client({ ...serverOf(url), connectionTimeoutMillis: TIMEOUT_MS });
  // One that the server ends as soon as it is there must not end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { remoteAddress = null, encrypted } = client.connection.stream as {
      remoteAddress?: string;
      encrypted?: true;
    };
    return { address: remoteAddress, isEncrypted: encrypted === true };
  } finally {
    await client.end();
  }
}
