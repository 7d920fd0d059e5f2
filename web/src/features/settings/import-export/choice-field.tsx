import { type ComponentProps, type SelectHTMLAttributes, useState } from 'react'
import { SelectField } from '../../../ui/form/form-field.tsx'

export interface Choices<V extends string> {
  value: V
  options: readonly { value: V; label: string }[]
}

interface Choosing<V extends string> extends Choices<V> {
  /** Saves the choice; resolves once that has been answered. */
  onChoose: (value: V) => unknown
}

/** The options of a choice, from the words for its values. */
export const toOptions = <K extends string>(words: Record<K, string>) =>
  (Object.entries(words) as [K, string][]).map(([value, label]) => ({ value, label }))

/** Shows a choice at once, before it is saved. */
function useUnsavedChoice<V extends string>({ value, options, onChoose }: Choosing<V>) {
  const [unsaved, setUnsaved] = useState<V>()
  const choose = async (choice: V | undefined) => {
    if (choice === undefined) return
    setUnsaved(choice)
    await onChoose(choice)
    setUnsaved((latest) => (latest === choice ? undefined : latest))
  }
  return {
    value: unsaved ?? value,
    onChange: ({ target }: { target: HTMLSelectElement }) =>
      void choose(options[target.selectedIndex]?.value),
  }
}

type ChoiceFieldProps<V extends string> = Choosing<V> &
  Omit<ComponentProps<typeof SelectField>, keyof Choices<V> | 'onChange'>

/** A line of a form with a choice. */
export function ChoiceField<V extends string>({ value, onChoose, ...rest }: ChoiceFieldProps<V>) {
  const { options } = rest
  return <SelectField {...rest} {...useUnsavedChoice({ value, options, onChoose })} />
}

type ChoiceSelectProps<V extends string> = Choosing<V> &
  Omit<SelectHTMLAttributes<HTMLSelectElement>, keyof Choices<V> | 'onChange'>

/** A choice without a line of its own, in a table. */
export function ChoiceSelect<V extends string>(props: ChoiceSelectProps<V>) {
  const { value, options, onChoose, ...rest } = props
  return (
    <select {...rest} {...useUnsavedChoice({ value, options, onChoose })}>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  )
}
