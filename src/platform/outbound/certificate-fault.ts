import type { DetailedPeerCertificate, PeerCertificate } from 'node:tls';

/** More names than these say nothing more to whoever looks for the wrong one. */
const MAX_NAMES = 5;
const MAX_NAME = 100;

/**
 * What is wrong with the certificate of a server, by what stands in it: which names, until when, by whom. Undefined where
 * it does not say. The text is the server's in part: names are cut, and have printable ASCII only.
 */
export function certificateFault(code: string, host: string, certificate: DetailedPeerCertificate): string | undefined {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return outOfTime(certificate, 'valid_to', 'expired at');
    case 'CERT_NOT_YET_VALID':
      return outOfTime(certificate, 'valid_from', 'is not valid before');
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return ofOtherHosts(host, certificate);
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return withIssuer(
        certificate,
        (issuer) => `the certificate is of an authority that is not a public one (${issuer})`,
      );
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return withIssuer(
        certificate,
        (issuer) =>
          `no chain of certificates leads to a public authority: the one of its issuer ${issuer} is missing; most often the server does not send the intermediate ones (its full chain)`,
      );
    default:
      return undefined;
  }
}

/** Of the chain, the one that ended first or begins last: whoever verified it found at least that one to be out of its time. */
function outOfTime(
  certificate: DetailedPeerCertificate,
  field: 'valid_from' | 'valid_to',
  verb: string,
): string | undefined {
  const sign = field === 'valid_to' ? 1 : -1;
  const [found] = chainOf(certificate).toSorted((a, b) => sign * (Date.parse(a[field]) - Date.parse(b[field])));
  const at = new Date(found?.[field] ?? '');
  if (!found || Number.isNaN(at.getTime())) return undefined;
  const whose = found === certificate ? 'the certificate' : `the certificate of the authority ${nameOf(found.subject)}`;
  return `${whose} ${verb} ${at.toISOString().replace('.000Z', 'Z')}`;
}

function ofOtherHosts(host: string, { subjectaltname = '' }: DetailedPeerCertificate): string {
  // What has a comma or worse in it is quoted by Node, and is no name of a host.
  const names = subjectaltname.split(', ').flatMap((name) => /^(?:DNS|IP Address):([^"]+)$/.exec(name)?.[1] ?? []);
  if (names.length === 0) return `the certificate names no host in its subjectAltName, so not ${printable(host)}`;
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `the certificate is of ${names.slice(0, MAX_NAMES).map(printable).join(', ')}${more}, not of ${printable(host)}`;
}

function withIssuer(certificate: DetailedPeerCertificate, words: (issuer: string) => string): string | undefined {
  const last = chainOf(certificate).at(-1);
  return last && words(nameOf(last.issuer));
}

/** From that of the server up. */
function chainOf(certificate: DetailedPeerCertificate): DetailedPeerCertificate[] {
  const chain: DetailedPeerCertificate[] = [];
  let next: DetailedPeerCertificate | undefined = certificate;
  // The issuer of a self-signed one is itself.
  while (next?.issuer && !chain.includes(next)) {
    chain.push(next);
    next = next.issuerCertificate;
  }
  return chain;
}

/** A certificate may have several of a field, or none. */
function nameOf(subject: PeerCertificate['subject']): string {
  const name = [subject.CN, subject.O].flat().find((one) => typeof one === 'string' && one !== '');
  return name === undefined ? 'without a name' : `“${printable(name)}”`;
}

const printable = (text: string): string => text.slice(0, MAX_NAME).replaceAll(/[^\x20-\x7e]/g, '?');
