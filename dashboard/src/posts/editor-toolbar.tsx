import { ActionIcon, Tooltip } from '@mantine/core';
import type { Command, EditorView } from '@codemirror/view';
import type { ComponentType } from 'react';
import {
  Bold,
  Code,
  Heading2,
  Image,
  Italic,
  Link,
  List,
  ListOrdered,
  Quote,
  SquareCode,
  Strikethrough,
  Table,
} from '../ui/icons.ts';
import * as commands from './markdown-commands.ts';
import classes from './markdown-editor.module.css';

interface Tool {
  label: string;
  keys?: string;
  icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>;
  run: Command;
}

const TOOLS: readonly Tool[] = [
  { label: 'Heading', icon: Heading2, run: commands.prefix(() => '## ') },
  { label: 'Bold', keys: 'B', icon: Bold, run: commands.wrap('**') },
  { label: 'Italic', keys: 'I', icon: Italic, run: commands.wrap('*') },
  { label: 'Struck through', icon: Strikethrough, run: commands.wrap('~~') },
  { label: 'Link', keys: 'K', icon: Link, run: commands.link },
  { label: 'Image', icon: Image, run: commands.image },
  { label: 'List', keys: 'Shift 8', icon: List, run: commands.prefix(() => '- ') },
  { label: 'Numbered list', keys: 'Shift 7', icon: ListOrdered, run: commands.prefix((i) => `${i + 1}. `) },
  { label: 'Quote', keys: 'Shift 9', icon: Quote, run: commands.prefix(() => '> ') },
  { label: 'Code', keys: 'E', icon: Code, run: commands.wrap('`') },
  { label: 'Code block', icon: SquareCode, run: commands.codeBlock },
  { label: 'Table', icon: Table, run: commands.table },
];

const MODIFIER = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';

/** What can be done to the selection, with its shortcut on hover. */
export function EditorToolbar({ view }: { view: EditorView | null }) {
  return (
    <div className={classes.toolbar} role="toolbar" aria-label="Formatting">
      {TOOLS.map(({ label, keys, icon: Icon, run }) => (
        <Tooltip key={label} label={keys === undefined ? label : `${label} (${MODIFIER} ${keys})`}>
          <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={() => view && run(view)}>
            <Icon size={17} aria-hidden />
          </ActionIcon>
        </Tooltip>
      ))}
    </div>
  );
}
