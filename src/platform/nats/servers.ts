/** The servers of `NATS_URL`, which may name several of one cluster. */
export const serversOf = (url: string): string[] => url.split(',').map((server) => server.trim());
