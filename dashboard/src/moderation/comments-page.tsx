import { Page } from '../ui/page.tsx';

export function CommentsPage() {
  return <Page title="Comments">{null}</Page>;
}
