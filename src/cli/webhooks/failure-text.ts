/** Class and message of a failure in one: "DNS: the name …"; a message that begins with its class says it already ("TLS handshake failed …"). */
export const failureText = (errorClass: string | null, message: string): string =>
  errorClass === null || message.startsWith(`${errorClass} `) ? message : `${errorClass}: ${message}`;
