import { Checkbox, Select, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { posthorn } from '../api/client.ts';
import { DialogForm } from '../ui/dialog-form.tsx';
import { NewPassword } from '../ui/new-password.tsx';
import { FormModal } from '../ui/form-modal.tsx';

const BLOG_ROLES = [
  { value: 'AUTHOR', label: 'Author: own posts' },
  { value: 'EDITOR', label: 'Editor: all posts' },
];

const EMPTY = { name: '', email: '', password: '', blogRole: null as 'AUTHOR' | 'EDITOR' | null, operator: false };

/** Makes a user with a first password. */
export function NewUser({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <FormModal opened={isOpen} onClose={onClose} title="New user">
      <UserForm onCancel={onClose} />
    </FormModal>
  );
}

function UserForm({ onCancel }: { onCancel: () => void }) {
  const [input, setInput] = useState(EMPTY);
  const set = (change: Partial<typeof EMPTY>): void => setInput((old) => ({ ...old, ...change }));
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: () => posthorn.createUser({ body: { ...input, name: input.name.trim() } }),
    meta: { silent: true },
    async onSuccess({ id }) {
      await queries.invalidateQueries({ queryKey: ['users'] });
      await navigate({ to: '/operators/users/$id', params: { id } });
    },
  });
  return (
    <DialogForm
      action="Create"
      isBusy={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate()}
      onCancel={onCancel}
    >
      <TextInput
        label="Name"
        required
        maxLength={100}
        data-autofocus
        value={input.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <TextInput
        label="E-mail"
        type="email"
        required
        maxLength={254}
        autoComplete="off"
        value={input.email}
        onChange={(event) => set({ email: event.currentTarget.value })}
      />
      <NewPassword
        label="First password"
        description="At least 8 characters. The user changes it under Password."
        value={input.password}
        onChange={(password) => set({ password })}
      />
      <Select
        label="Blog"
        placeholder="reads and comments"
        data={BLOG_ROLES}
        value={input.blogRole}
        onChange={(value) => set({ blogRole: value as 'AUTHOR' | 'EDITOR' | null })}
        clearable
        clearButtonProps={{ 'aria-label': 'No role in the blog' }}
      />
      <Checkbox
        label="Operator"
        description="Sees and manages everything."
        checked={input.operator}
        onChange={(event) => set({ operator: event.currentTarget.checked })}
      />
    </DialogForm>
  );
}
