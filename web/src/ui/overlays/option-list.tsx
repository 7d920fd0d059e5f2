import './popover.css'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react'
import { isTouch } from '../../lib/browser/is-touch.ts'
import { uiMessages } from '../../messages/app/ui.ts'
import { Icon } from '../marks/icon.tsx'
import type { PickerOption } from './overlay-stack.ts'

/** Whether fields may focus themselves: on a touch screen the keyboard would cover the sheet. */
export const canAutoFocusField = (): boolean => !isTouch()

/** The option that creates what was typed. */
export const CREATE_ID = '+create'

const isEnabled = ({ reason }: PickerOption): boolean => reason === undefined

interface OptionsSetup<O extends PickerOption> {
  options: readonly O[]
  /** What they are for: another text begins with the first option again. */
  text: string
  /** The option that is highlighted at first. */
  first: O | undefined
  onChoose: (option: O) => void
}

/**
 * Options beside a field that keeps the focus: the arrow keys highlight one, Enter and a click choose
 * it. The field needs the attributes in `aria`, and `list` shows the options.
 */
export function useOptions<O extends PickerOption>({
  options,
  text,
  first,
  onChoose,
}: OptionsSetup<O>) {
  const id = useId()
  const [highlight, setHighlight] = useState<{ text: string; id: string | undefined }>()
  const wanted = highlight?.text === text ? highlight.id : undefined
  const active = options.find((one) => one.id === wanted) ?? first
  const activeId = active && `${id}-${options.indexOf(active)}`
  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' })
  }, [activeId])
  const moveHighlight = (by: 1 | -1) => {
    const enabled = options.filter(isEnabled)
    const from = active ? enabled.indexOf(active) : by > 0 ? -1 : 0
    setHighlight({ text, id: enabled.at((from + by) % enabled.length)?.id })
  }
  const choose = (option: O) => {
    if (!isEnabled(option)) return
    setHighlight({ text, id: option.id })
    onChoose(option)
  }
  /** Returns whether the key was for the options. */
  const handleKeyDown = (event: KeyboardEvent): boolean => {
    const { key, ctrlKey, metaKey, altKey } = event
    if (options.length === 0 || ctrlKey || metaKey || altKey) return false
    if (key === 'ArrowDown') moveHighlight(1)
    else if (key === 'ArrowUp') moveHighlight(-1)
    else if (key === 'Enter' && active) choose(active)
    else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }
  return { active, activeId, choose, handleKeyDown, list: { id, options, active, choose } }
}

interface OptionsProps<O extends PickerOption> {
  id: string
  label: string
  options: readonly O[]
  active: O | undefined
  choose: (option: O) => void
  /** Those that are chosen; without it, an option leads on and has no mark. */
  checked?: readonly string[] | undefined
  /** Those that only some records have, with a dash. */
  some?: readonly string[] | undefined
  /** Whether several can be chosen. */
  several?: boolean
  /** Whether the first nine show the number that chooses them. */
  numbered?: boolean
}

/** The options that a field leaves, one of them highlighted. */
export function Options<O extends PickerOption>(props: OptionsProps<O>) {
  const { id, label, options, active, choose, checked, some, several = false } = props
  return (
    <div
      id={id}
      className="pick-list"
      role="listbox"
      aria-label={label}
      aria-multiselectable={several}
      hidden={options.length === 0}
    >
      {options.map((option, index) => {
        const isChecked = checked?.includes(option.id) ?? false
        return (
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field (aria-activedescendant)
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
          <div
            key={option.id}
            id={`${id}-${index}`}
            className="pick-item"
            role="option"
            aria-selected={checked ? isChecked : option === active}
            aria-disabled={!isEnabled(option) || undefined}
            data-disabled={isEnabled(option) ? undefined : true}
            data-focused={option === active || undefined}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(option)}
          >
            {checked && (
              <span className="menu-mark" aria-hidden="true">
                {option.id === CREATE_ID ? (
                  <Icon name="plus" />
                ) : some?.includes(option.id) ? (
                  <Icon name="minus" />
                ) : several ? (
                  <span className="box" data-checked={isChecked || undefined} />
                ) : (
                  isChecked && <Icon name="check" />
                )}
              </span>
            )}
            {option.mark && <span aria-hidden="true">{option.mark}</span>}
            <span className="menu-label">
              {option.label}
              {option.reason !== undefined && <small>{option.reason}</small>}
            </span>
            {option.hint && <span className="quiet">{option.hint}</span>}
            {props.numbered && index < 9 && (
              <span aria-hidden="true">
                <kbd>{index + 1}</kbd>
              </span>
            )}
          </div>
        )
      })}
    </div>
  )
}

interface OptionListProps
  extends Pick<OptionsProps<PickerOption>, 'label' | 'options' | 'checked' | 'some' | 'several'> {
  placeholder?: string | undefined
  text: string
  onText: (text: string) => void
  /** The option that is highlighted while nothing is typed; none if it is not among them. */
  initial?: string | undefined
  onChoose: (option: PickerOption) => void
  /** Chooses one of the first nine options by its number, while nothing is typed. */
  onNumber?: ((option: PickerOption) => void) | undefined
  /** Enter while no option is highlighted. */
  onEnter?: () => void
  /** Backspace in the empty field. */
  onBack?: () => void
  /** The part of the text that is wrong, which is selected so that typing replaces it. */
  wrong?: { start: number; end: number } | undefined
  /** Stands in place of options if there are none. */
  empty?: ReactNode
}

/**
 * A field above the options that its text leaves. The focus stays in the field; arrow keys highlight
 * an option, typing the first one, and Enter chooses it.
 */
export function OptionList(props: OptionListProps) {
  const { label, placeholder = uiMessages.find, text, onText, options, wrong } = props
  const { initial, onChoose, onNumber, onEnter, onBack, empty } = props
  const [input, setInput] = useState<HTMLInputElement | null>(null)
  const first = text === '' ? options.find((one) => one.id === initial) : options.find(isEnabled)
  const { list, activeId, ...keys } = useOptions({ options, text, first, onChoose })
  useEffect(() => {
    if (wrong) input?.setSelectionRange(wrong.start, wrong.end)
  }, [input, wrong])
  const handleKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const numbered = text === '' ? options[digitOf(event) - 1] : undefined
    if (keys.handleKeyDown(event)) return
    if (onNumber && numbered && isEnabled(numbered)) onNumber(numbered)
    else if (event.key === 'Enter' && onEnter) onEnter()
    else if (event.key === 'Backspace' && text === '' && onBack) onBack()
    else return
    event.preventDefault()
  }
  return (
    <>
      <div className="pick-find">
        <Icon name="search" />
        <input
          // biome-ignore lint/a11y/noAutofocus: the person asked to type here
          autoFocus={canAutoFocusField()}
          ref={setInput}
          role="combobox"
          aria-label={label}
          aria-expanded={options.length > 0}
          aria-controls={list.id}
          aria-autocomplete="list"
          aria-activedescendant={activeId}
          aria-invalid={wrong !== undefined}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => onText(event.target.value)}
          onKeyDown={handleKeyDown}
        />
      </div>
      {options.length === 0 && empty && <p className="pick-none">{empty}</p>}
      <Options
        {...list}
        label={label}
        checked={props.checked}
        some={props.some}
        several={props.several ?? false}
        numbered={onNumber !== undefined && text === ''}
      />
    </>
  )
}

/** The digit that a key types by itself, else 0. */
const digitOf = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): number =>
  /^[1-9]$/.test(key) && !ctrlKey && !metaKey && !altKey ? Number(key) : 0
