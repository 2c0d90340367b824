import { Alert, Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { webhooks } from '@posthorn/client';
import { type FormEvent, useState } from 'react';
import { Check, CircleAlert } from '../ui/icons.ts';

const SIGNATURE = 'x-service-signature';

/** The signature that an attempt sent. */
export const signatureOf = (headers: Readonly<Record<string, string>>): string | undefined =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === SIGNATURE)?.[1];

interface SignatureCheckProps {
  signature: string;
  body: string;
  isOpen: boolean;
  onClose: () => void;
}

/** Where the page is served by http, browsers compute none. */
const canCheck = 'subtle' in crypto;

/** Whether a secret made the signature of an attempt. It is computed in this browser; the secret is sent nowhere. */
export function SignatureCheck({ signature, body, isOpen, onClose }: SignatureCheckProps) {
  const [secret, setSecret] = useState('');
  const [result, setResult] = useState<string | null>();
  const check = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setResult(await faultOf(body, signature, secret.trim()));
  };
  const close = (): void => {
    setSecret('');
    setResult(undefined);
    onClose();
  };
  return (
    <Modal opened={isOpen} onClose={close} title="Check the signature">
      <form onSubmit={(event) => void check(event)}>
        <Stack>
          <Text size="sm">
            Is the secret that your receiver uses the one that signed this request? The check runs in your browser; the
            secret is not sent anywhere.
          </Text>
          <PasswordInput
            label="Signing secret"
            placeholder="whsec_…"
            required
            data-autofocus
            autoComplete="off"
            value={secret}
            onChange={(event) => {
              setSecret(event.currentTarget.value);
              setResult(undefined);
            }}
          />
          {!canCheck && <Text size="sm">Browsers check a signature only on a page that is served by https.</Text>}
          {result !== undefined && <Result fault={result} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Close
            </Button>
            <Button type="submit" disabled={!canCheck}>
              Check
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** Why the secret did not make the signature; null: it did. The age is no matter here: the request is of the past. */
async function faultOf(body: string, signature: string, secret: string): Promise<string | null> {
  try {
    await webhooks.verify(body, signature, secret, { toleranceSeconds: Number.MAX_SAFE_INTEGER });
    return null;
  } catch (error) {
    return error instanceof webhooks.WebhookVerificationError ? error.message : String(error);
  }
}

function Result({ fault }: { fault: string | null }) {
  if (fault === null) {
    return (
      <Alert color="green" icon={<Check aria-hidden />} title="This secret signed the request" role="alert">
        If your receiver refuses it all the same, it checks another body than the raw one, or its clock is off by more
        than five minutes.
      </Alert>
    );
  }
  return (
    <Alert color="red" icon={<CircleAlert aria-hidden />} title="This secret did not sign the request" role="alert">
      {fault}. Take the signing secret that was shown together with the API key, or rotate the key to get a new one.
    </Alert>
  );
}
