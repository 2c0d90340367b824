import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DetailedPeerCertificate } from 'node:tls';
import { certificateFault } from './certificate-fault.ts';

const certificate = (fields: object): DetailedPeerCertificate =>
  ({
    subject: { CN: 'receiver' },
    issuer: { CN: 'Middle' },
    valid_from: 'Jan  1 00:00:00 2025 GMT',
    valid_to: 'Mar  1 12:00:00 2026 GMT',
    ...fields,
  }) as DetailedPeerCertificate;
const told = (code: string, fields: object, host = 'shop.example'): string | undefined =>
  certificateFault(code, host, certificate(fields));

test('tells when a certificate expired or begins, and that of an authority by its name', () => {
  assert.equal(told('CERT_HAS_EXPIRED', {}), 'the certificate expired at 2026-03-01T12:00:00Z');
  assert.equal(told('CERT_NOT_YET_VALID', {}), 'the certificate is not valid before 2025-01-01T00:00:00Z');
  const issuerCertificate = certificate({ subject: { CN: 'Middle' }, valid_to: 'Jan  1 00:00:00 2020 GMT' });
  issuerCertificate.issuerCertificate = issuerCertificate;
  assert.equal(
    told('CERT_HAS_EXPIRED', { issuerCertificate }),
    'the certificate of the authority “Middle” expired at 2020-01-01T00:00:00Z',
  );
  assert.equal(told('CERT_HAS_EXPIRED', { valid_to: 'never' }), undefined);
});

test('tells which hosts there are and which was wanted, five at most', () => {
  const names = (subjectaltname?: string): string | undefined =>
    told('ERR_TLS_CERT_ALTNAME_INVALID', subjectaltname === undefined ? {} : { subjectaltname });
  assert.equal(
    names('DNS:a.example, DNS:*.b.example, IP Address:10.1.2.3, email:x@y.example'),
    'the certificate is of a.example, *.b.example, 10.1.2.3, not of shop.example',
  );
  assert.equal(
    names('DNS:a, DNS:b, DNS:c, DNS:d, DNS:e, DNS:f, DNS:g'),
    'the certificate is of a, b, c, d, e and 2 more, not of shop.example',
  );
  for (const none of [undefined, 'email:x@y.example'])
    assert.equal(names(none), 'the certificate names no host in its subjectAltName, so not shop.example');
});

test('names who issued the last of a chain, and cuts what a server wrote', () => {
  const issuedBy = (issuer: object): string =>
    told('SELF_SIGNED_CERT_IN_CHAIN', { issuer })?.slice('the certificate is of an authority that is '.length) ?? '';
  assert.equal(issuedBy({ O: 'Shop' }), 'not a public one (“Shop”)');
  assert.equal(issuedBy({ CN: ['Shop A', 'Shop B'] }), 'not a public one (“Shop A”)');
  assert.equal(issuedBy({}), 'not a public one (without a name)');
  assert.equal(issuedBy({ CN: 'a\u001b[2J\u202e' }), 'not a public one (“a?[2J?”)');
  assert.equal(issuedBy({ CN: 'x'.repeat(5000) }), `not a public one (“${'x'.repeat(100)}”)`);
});

test('says nothing of other codes, or where no certificate came', () => {
  assert.equal(told('ECONNRESET', {}), undefined);
  const none = {} as DetailedPeerCertificate;
  for (const code of ['CERT_HAS_EXPIRED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'])
    assert.equal(certificateFault(code, 'shop.example', none), undefined);
});
