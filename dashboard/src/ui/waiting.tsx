import { Center, Loader } from '@mantine/core';

/** In place of a page that is on its way over a slow network. */
export function Waiting() {
  return (
    <Center component="output" mih="40vh" aria-label="The page is on its way">
      <Loader />
    </Center>
  );
}
