import { Box, Skeleton } from '@mantine/core';

interface Props {
  /** Of what will be there. Pixels. */
  height: number;
  /** For who listens to the page instead of seeing it. */
  label?: string;
}

/** The place of what is being loaded. An output, since a label of what has no role is told to nobody. */
export const OnItsWay = ({ height, label = 'On its way' }: Props) => (
  <Box component="output" display="block" aria-label={label}>
    <Skeleton h={height} />
  </Box>
);
