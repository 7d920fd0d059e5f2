import { useRef, useState } from 'react'
import { changeTask } from '../../../data/tasks/change-task.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { Button, IconButton } from '../../../ui/form/button.tsx'
import { useUnsavedForm } from '../../../ui/form/unsaved-forms.ts'
import { focusIfLost } from '../../../ui/keyboard/focus-if-lost.ts'
import {
  type CustomFieldValue,
  type CustomFieldValues,
  formatCustomValue,
  parseCustomValue,
} from '../formatting/custom-field-value.ts'
import { useOpenTask } from '../open-task-context.ts'
import { useBlockReasons } from '../use-block-reasons.ts'
import { useFixedPlacement } from './fixed-placement.ts'
import { InlineTextField } from './inline-text-field.tsx'
import { PropertyRow } from './property-row.tsx'

/** The custom fields of the task; `metadata` is for programs and is not shown. */
export function CustomFieldProperties() {
  const { task } = useOpenTask()
  const { write } = useBlockReasons()
  const setField = useSetField()
  const { custom_fields = {} } = task
  const names = Object.keys(custom_fields).toSorted()
  return (
    <>
      {names.map((name, index) => (
        <PropertyRow key={name} label={name} fields={index === 0 ? ['custom_fields'] : []}>
          <CustomField
            name={name}
            value={custom_fields[name] ?? ''}
            reason={write}
            onSet={(value) => setField(name, value)}
          />
        </PropertyRow>
      ))}
    </>
  )
}

/** A button to add a custom field that the task does not have yet. */
export function AddCustomField() {
  const { task } = useOpenTask()
  const { write } = useBlockReasons()
  const setField = useSetField()
  const [adding, setAdding] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const stopAdding = () => {
    setAdding(false)
    focusIfLost(() => button.current)
  }
  const existingNames = Object.keys(task.custom_fields ?? {})
  return (
    <PropertyRow
      label={taskDetailMessages.customField}
      // A conflict is shown at the first field; the viewer may have removed the only one.
      fields={existingNames.length === 0 ? ['custom_fields'] : []}
    >
      {adding ? (
        <NewCustomField existingNames={existingNames} onDone={stopAdding} onSet={setField} />
      ) : (
        <Button
          ref={button}
          kind="plain"
          className="value"
          data-does="field"
          reason={write}
          onClick={() => setAdding(true)}
        >
          <span className="quiet">{taskDetailMessages.customField}</span>
        </Button>
      )}
    </PropertyRow>
  )
}

function useSetField() {
  const { task } = useOpenTask()
  return (name: string, value: CustomFieldValue | null): void => {
    const label = taskDetailMessages.fieldSet(task.short_id, name)
    // A null member in the patch removes the field (docs/spec/api.md#task).
    const custom_fields = { [name]: value } as CustomFieldValues
    changeTask(task.id, { custom_fields }, { label, from: task })
  }
}

interface CustomFieldProps {
  name: string
  value: CustomFieldValue
  reason: string | undefined
  onSet: (value: CustomFieldValue | null) => void
}

function CustomField({ name, value, reason, onSet }: CustomFieldProps) {
  const text = formatCustomValue(value)
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
          {value ? taskDetailMessages.yes : taskDetailMessages.no}
        </label>
      ) : (
        <InlineTextField
          label={taskDetailMessages.changeOf(name, text)}
          value={text}
          reason={reason}
          onSave={(typed) => void onSet(parseCustomValue(typed, value))}
        >
          {text === '' ? <span className="quiet">{taskDetailMessages.none}</span> : text}
        </InlineTextField>
      )}
      <IconButton
        icon="x"
        label={taskDetailMessages.removeFrom(name)}
        reason={reason}
        onClick={() => onSet(null)}
      />
    </>
  )
}

const FIELD_NAME_PATTERN = /^[a-z][a-z0-9_]{0,39}$/

function NewCustomField({
  existingNames,
  onSet,
  onDone,
}: {
  existingNames: readonly string[]
  onSet: (name: string, value: CustomFieldValue) => void
  onDone: () => void
}) {
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  useFixedPlacement(true)
  const form = useRef<HTMLFormElement>(null)
  useUnsavedForm(form, name !== '' || value !== '')
  const isInvalid = name !== '' && (!FIELD_NAME_PATTERN.test(name) || existingNames.includes(name))
  return (
    <form
      ref={form}
      className="acts new-field"
      onSubmit={(event) => {
        event.preventDefault()
        if (!FIELD_NAME_PATTERN.test(name) || existingNames.includes(name)) return
        onSet(name, parseCustomValue(value))
        onDone()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        onDone()
      }}
    >
      <input
        // biome-ignore lint/a11y/noAutofocus: the user opened it by a button
        autoFocus
        className="field"
        aria-label={taskDetailMessages.fieldName}
        placeholder={taskDetailMessages.fieldName}
        title={taskDetailMessages.fieldNames}
        aria-invalid={isInvalid || undefined}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <input
        className="field"
        aria-label={taskDetailMessages.fieldValue}
        placeholder={taskDetailMessages.fieldValue}
        value={value}
        onChange={({ target }) => setValue(target.value)}
      />
      <Button type="submit">{taskDetailMessages.add}</Button>
      {isInvalid && <p className="error">{taskDetailMessages.fieldNames}</p>}
    </form>
  )
}
