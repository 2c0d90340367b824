/** `POSTHORN_`, and more where the name of the Service goes on (`posthorn-nats`), then what Kubernetes appends, with such a value. */
const PATTERNS: readonly [RegExp, RegExp][] = [
  [/_SERVICE_HOST$/, /^[\da-f.:]+$/i],
  [/_SERVICE_PORT(?:_[A-Z0-9_]+)?$/, /^\d+$/],
  [/_PORT(?:_\d+_(?:TCP|UDP|SCTP))?$/, /^(?:tcp|udp|sctp):\/\//],
  [/_PORT_\d+_(?:TCP|UDP|SCTP)_PROTO$/, /^(?:tcp|udp|sctp)$/],
  [/_PORT_\d+_(?:TCP|UDP|SCTP)_PORT$/, /^\d+$/],
  [/_PORT_\d+_(?:TCP|UDP|SCTP)_ADDR$/, /^[\da-f.:]+$/i],
];

/**
 * Whether Kubernetes gives this variable to every pod beside a Service whose name begins with `posthorn`. The value
 * is looked at too, so that POSTHORN_PORT=8080 is still told to be no setting.
 */
export const isOfKubernetes = (name: string, value: string): boolean =>
  PATTERNS.some(([names, values]) => names.test(name) && values.test(value));
