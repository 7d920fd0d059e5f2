import { useState } from 'react'
import type { Task } from '../../../data/task-view.ts'
import { changeTask } from '../../../data/task-writes.ts'
import { m } from '../../../messages/task.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { shownValue, typedValue } from '../custom-value.ts'
import { useOpenTask } from '../open-task.ts'
import { useRights } from '../rights.ts'
import { InlineText } from './inline-text.tsx'
import { Prop } from './prop.tsx'

type Value = Task['custom_fields'][string]

/** The workspace's own fields of the task, each with its value; those of programs (metadata) do not show. */
export function CustomFields() {
  const { task } = useOpenTask()
  const { write } = useRights()
  const set = useSetField()
  const names = Object.keys(task.custom_fields).toSorted()
  return (
    <>
      {names.map((name, at) => (
        <Prop key={name} label={name} fields={at === 0 ? ['custom_fields'] : []}>
          <CustomField
            name={name}
            value={task.custom_fields[name] ?? ''}
            reason={write}
            onSet={(value) => set(name, value)}
          />
        </Prop>
      ))}
    </>
  )
}

/** A button for a field that the task does not have yet. */
export function AddField() {
  const { task } = useOpenTask()
  const { write } = useRights()
  const set = useSetField()
  const [adding, setAdding] = useState(false)
  const taken = Object.keys(task.custom_fields)
  if (adding) return <NewField taken={taken} onDone={() => setAdding(false)} onSet={set} />
  return (
    <Button
      kind="plain"
      className="value"
      data-does="field"
      reason={write}
      onClick={() => setAdding(true)}
    >
      <span className="quiet">{m.customField}</span>
    </Button>
  )
}

function useSetField() {
  const { task } = useOpenTask()
  return (name: string, value: Value | null): void => {
    const label = m.fieldSet(task.short_id, name)
    // In a patch of this object a member that is null is taken away (contract 6.2).
    const custom_fields = { [name]: value } as Task['custom_fields']
    changeTask(task.id, { custom_fields }, { label, from: task })
  }
}

interface FieldProps {
  name: string
  value: Value
  reason: string | undefined
  onSet: (value: Value | null) => void
}

function CustomField({ name, value, reason, onSet }: FieldProps) {
  const words = shownValue(value)
  return (
    <>
      {typeof value === 'boolean' ? (
        <label className="value check">
          <input
            type="checkbox"
            aria-label={name}
            checked={value}
            disabled={reason !== undefined}
            title={reason}
            onChange={({ target }) => onSet(target.checked)}
          />
          {value ? m.yes : m.no}
        </label>
      ) : (
        <InlineText
          label={m.changeOf(name, words)}
          value={words}
          reason={reason}
          onSave={(typed) => void onSet(typedValue(typed, value))}
        >
          {words === '' ? <span className="quiet">{m.none}</span> : words}
        </InlineText>
      )}
      <IconButton icon="x" label={m.removeFrom(name)} reason={reason} onClick={() => onSet(null)} />
    </>
  )
}

const NAME = /^[a-z][a-z0-9_]{0,39}$/

function NewField({
  taken,
  onSet,
  onDone,
}: {
  taken: readonly string[]
  onSet: (name: string, value: Value) => void
  onDone: () => void
}) {
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const wrong = name !== '' && (!NAME.test(name) || taken.includes(name))
  return (
    <form
      className="acts new-field"
      onSubmit={(event) => {
        event.preventDefault()
        if (!NAME.test(name) || taken.includes(name)) return
        onSet(name, typedValue(value))
        onDone()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        onDone()
      }}
    >
      <input
        // biome-ignore lint/a11y/noAutofocus: it was asked for by a button
        autoFocus
        className="field"
        aria-label={m.fieldName}
        placeholder={m.fieldName}
        title={m.fieldNames}
        aria-invalid={wrong || undefined}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <input
        className="field"
        aria-label={m.fieldValue}
        placeholder={m.fieldValue}
        value={value}
        onChange={({ target }) => setValue(target.value)}
      />
      <Button type="submit">{m.add}</Button>
      {wrong && <p className="error">{m.fieldNames}</p>}
    </form>
  )
}
