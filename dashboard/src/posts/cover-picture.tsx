import { Alert, Box, Button, Image } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { TriangleAlert } from '../ui/icons.ts';
import { isPictureAddress } from './fields.ts';

/** Typing rests this long before the address is asked for: each letter makes another one, which is somebody else's. Milliseconds. */
const REST_MS = 600;
/** Pixels. */
const HEIGHT = 140;

/** The picture at an address, or that it does not load; nothing where that is no address. Its place stays as it is while it is typed. */
export function CoverPicture({ url, alt }: { url: string; alt: string }) {
  const [settled] = useDebouncedValue(url, REST_MS);
  if (!isPictureAddress(url)) return null;
  return <Box mih={HEIGHT}>{isPictureAddress(settled) && <TriedPicture key={settled} url={settled} alt={alt} />}</Box>;
}

/** Asked for once, and again when somebody wants that: it may have been put there meanwhile. */
function TriedPicture({ url, alt }: { url: string; alt: string }) {
  const [tries, setTries] = useState(1);
  const [failed, setFailed] = useState(0);
  if (failed === tries) {
    return (
      <Alert color="yellow" icon={<TriangleAlert aria-hidden />} title="The picture did not load">
        <span style={{ overflowWrap: 'anywhere' }}>{url}</span>
        <div>
          <Button mt="xs" size="xs" variant="default" onClick={() => setTries(tries + 1)}>
            Try again
          </Button>
        </div>
      </Alert>
    );
  }
  return (
    <Image
      key={tries}
      src={url}
      alt={alt}
      radius="md"
      h={HEIGHT}
      fit="cover"
      referrerPolicy="no-referrer"
      onError={() => setFailed(tries)}
    />
  );
}
