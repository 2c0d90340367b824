import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { markdown, markdownKeymap } from '@codemirror/lang-markdown';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension, Transaction } from '@codemirror/state';
import { EditorView, keymap, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef, useState } from 'react';
import { notifyFault } from '../api/notices.tsx';
import { styleNonce } from '../lib/theme.ts';
import { dropTexts } from './drop-texts.ts';
import { dropsOtherFiles, pastesFiles } from './dropped.ts';
import * as commands from './markdown-commands.ts';
import { EditorToolbar } from './editor-toolbar.tsx';
import classes from './markdown-editor.module.css';
import { lineDirections } from './line-directions.ts';
import { markdownOf } from './paste.ts';

const colours = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '700' },
  { tag: tags.strong, fontWeight: '700' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.link, tags.url], color: 'var(--mantine-color-anchor)' },
  { tag: [tags.monospace, tags.processingInstruction, tags.meta], color: 'var(--mantine-color-dimmed)' },
]);

/** Files are kept elsewhere; read as a text, a picture would be one. */
function refuseFiles(event: Event): true {
  event.preventDefault();
  notifyFault('Files are not kept here', 'Put a picture in by its address: ![What it shows](https://…)');
  return true;
}

const pasteClean = EditorView.domEventHandlers({
  paste(event, view) {
    if (pastesFiles(event.clipboardData)) return refuseFiles(event);
    const html = event.clipboardData?.getData('text/html') ?? '';
    const clean = html === '' ? null : markdownOf(html, event.clipboardData?.getData('text/plain') ?? '');
    if (clean === null) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(clean), { scrollIntoView: true, userEvent: 'input.paste' });
    return true;
  },
  drop: (event, view) => (dropsOtherFiles(event.dataTransfer) ? refuseFiles(event) : dropTexts(event, view)),
});

const extensions = (label: string): Extension => [
  history(),
  keymap.of([
    { key: 'Mod-b', run: commands.wrap('**') },
    { key: 'Mod-i', run: commands.wrap('*') },
    { key: 'Mod-e', run: commands.wrap('`') },
    { key: 'Mod-k', run: commands.link },
    { key: 'Mod-Shift-8', run: commands.prefix(() => '- ') },
    { key: 'Mod-Shift-7', run: commands.prefix((i) => `${i + 1}. `) },
    { key: 'Mod-Shift-9', run: commands.prefix(() => '> ') },
    ...markdownKeymap,
    ...defaultKeymap,
    ...historyKeymap,
  ]),
  markdown(),
  syntaxHighlighting(colours),
  EditorView.lineWrapping,
  lineDirections,
  EditorView.cspNonce.of(styleNonce()),
  EditorView.contentAttributes.of({
    'aria-label': label,
    tabindex: '0',
    spellcheck: 'true',
    autocapitalize: 'sentences',
  }),
  placeholder('Write in Markdown …'),
  pasteClean,
];

interface MarkdownEditorProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** A field for Markdown with toolbar, shortcuts, undo, and clean pasting. Tab leaves it, as it leaves every field. */
export function MarkdownEditor({ label, value, onChange }: MarkdownEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<EditorView | null>(null);
  const told = useRef(onChange);
  useEffect(() => {
    told.current = onChange;
  }, [onChange]);
  const first = useRef(value);

  useEffect(() => {
    const listen = EditorView.updateListener.of((update) => {
      const isOwn = update.transactions.some((t) => t.annotation(Transaction.remote) === true);
      if (update.docChanged && !isOwn) told.current(update.state.doc.toString());
    });
    const made = new EditorView({
      state: EditorState.create({ doc: first.current, extensions: [extensions(label), listen] }),
      parent: place.current as HTMLDivElement,
    });
    setView(made);
    return () => made.destroy();
  }, [label]);

  // Another text from outside: a revision was restored, a conflict was decided.
  useEffect(() => {
    if (!view || view.state.doc.toString() === value) return;
    view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: value },
      annotations: Transaction.remote.of(true),
    });
  }, [view, value]);

  return (
    <div className={classes.frame}>
      <EditorToolbar view={view} />
      <div ref={place} className={classes.text} />
    </div>
  );
}
