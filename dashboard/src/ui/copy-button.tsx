import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { Check, Copy } from './icons.ts';

const SHOWN_MS = 1500;

/** Where the page is served by http, browsers give no `navigator.clipboard`. */
function copyBySelection(text: string): void {
  const area = document.createElement('textarea');
  area.value = text;
  area.setAttribute('readonly', '');
  area.style.position = 'fixed';
  area.style.opacity = '0';
  const { activeElement } = document;
  // In a dialog: whatever holds the focus there must hold this too.
  (activeElement?.closest('[role="dialog"]') ?? document.body).append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
  if (activeElement instanceof HTMLElement) activeElement.focus({ preventScroll: true });
}

async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyBySelection(text);
  }
}

/** Copies `value`. `label` says what: "Copy the id". With `wide` it is a button with these words. */
export function CopyButton({ value, label, wide = false }: { value: string; label: string; wide?: boolean }) {
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => {
    void copyText(value).then(() => {
      setCopied(true);
      window.setTimeout(() => setCopied(false), SHOWN_MS);
    });
  };
  const icon = isCopied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />;
  if (wide) {
    return (
      <Button variant="default" size="xs" leftSection={icon} onClick={copy}>
        {isCopied ? 'Copied' : label}
      </Button>
    );
  }
  return (
    <Tooltip label={isCopied ? 'Copied' : label}>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={isCopied ? 'Copied' : label} onClick={copy}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
