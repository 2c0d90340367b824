import { Kbd, Modal, Stack, Switch, Table } from '@mantine/core';
import { useKeySwitch } from '../ui/use-keys.ts';

const KEYS = [
  ['j', 'next comment'],
  ['k', 'previous comment'],
  ['x', 'choose it, or not'],
  ['h', 'hide it, or all that are chosen'],
  ['v', 'show it, or all that are chosen'],
  ['o', 'its context'],
  ['?', 'this help'],
] as const;

/** Which keys there are, and the switch for who types them by accident. */
export function KeyHelp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [isOn, set] = useKeySwitch();
  return (
    <Modal opened={opened} onClose={onClose} title="Keys">
      <Stack>
        <Table aria-label="Keys">
          <Table.Tbody>
            {KEYS.map(([key, does]) => (
              <Table.Tr key={key}>
                <Table.Td w={50}>
                  <Kbd>{key}</Kbd>
                </Table.Td>
                <Table.Td>{does}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Switch
          label="Single keys do something"
          checked={isOn}
          onChange={(event) => set(event.currentTarget.checked)}
        />
      </Stack>
    </Modal>
  );
}
