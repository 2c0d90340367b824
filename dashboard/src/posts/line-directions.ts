import { type Extension, Prec, RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';

const AUTO = Decoration.line({ attributes: { dir: 'auto' } });

function linesOf({ visibleRanges, state }: EditorView): DecorationSet {
  const lines = new RangeSetBuilder<Decoration>();
  for (const { from, to } of visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      lines.add(line.from, line.from, AUTO);
      at = line.to + 1;
    }
  }
  return lines.finish();
}

const plugin = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = linesOf(view);
    }
    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged) this.decorations = linesOf(update.view);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

/** Each line runs as its first letter does, Hebrew and Arabic from the right, and the cursor with it. */
export const lineDirections: Extension = [EditorView.perLineTextDirection.of(true), Prec.lowest(plugin)];
