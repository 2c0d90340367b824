import { highlighter } from './code.ts';
import { renderWith, type Rendering } from './render-with.ts';

/** Renders Markdown with code in colours. Their languages take a tenth of a second to load: where no code can be, there is `renderWith`. */
export const renderMarkdown = (markdown: string): Rendering => renderWith(markdown, highlighter());
