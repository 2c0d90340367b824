import { Alert, Image } from '@mantine/core';
import { useState } from 'react';
import { TriangleAlert } from '../ui/icons.ts';
import { isPictureAddress } from './fields.ts';

/** The picture at an address, or that it does not load; nothing where that is no address. */
export function CoverPicture({ url, alt }: { url: string; alt: string }) {
  const [failed, setFailed] = useState<string>();
  if (!isPictureAddress(url)) return null;
  if (failed === url) {
    return (
      <Alert color="yellow" icon={<TriangleAlert aria-hidden />} title="The picture did not load">
        <span style={{ overflowWrap: 'anywhere' }}>{url}</span>
      </Alert>
    );
  }
  return (
    <Image
      src={url}
      alt={alt}
      radius="md"
      h={140}
      fit="cover"
      referrerPolicy="no-referrer"
      onError={() => setFailed(url)}
    />
  );
}
