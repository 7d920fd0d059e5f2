import { type AriaAttributes, type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { findMarkedName } from '../../../lib/markdown/typed-mentions.ts'
import { composerMessages } from '../../../messages/tasks/composer.ts'
import { Icon } from '../../../ui/marks/icon.tsx'
import type { PickerOption } from '../../../ui/overlays/picker-button.tsx'
import { filterOptions, hasOptionNamed } from '../../../ui/overlays/picker-options.ts'

const MAX_SUGGESTIONS = 6

/** An option for a marked name, and what choosing it does. */
export interface SuggestedName extends PickerOption {
  choose: () => void
}

interface NameSuggestionsOptions {
  /** The text before the caret. */
  text: string
  /** The options for a mark and the name typed after it. */
  list: (mark: string, typed: string) => readonly SuggestedName[]
  /** Creates an option for a name that has none. */
  create: (mark: string, typed: string) => SuggestedName | undefined
  /** Replaces the marked name by the text that its option leaves, which is none. */
  onChoose: (marked: string) => void
}

/**
 * The people or tags that the name after `@` or `#` may mean. The arrows move in the list, Enter or
 * Tab chooses, Escape closes it; a name that is typed to its end needs no list.
 */
export function useNameSuggestions({ text, list, create, onChoose }: NameSuggestionsOptions): {
  handleKeyDown: (event: KeyboardEvent) => boolean
  aria: AriaAttributes
  element: ReactNode
} {
  const id = useId()
  const [active, setActive] = useState({ text: '', index: 0 })
  const [closedText, setClosedText] = useState<string>()
  const { mark, typed } = findMarkedName(text)
  const all = mark && closedText !== text ? list(mark, typed) : []
  const isComplete = hasOptionNamed(all, typed)
  const created = mark && typed.trim() !== '' ? create(mark, typed.trim()) : undefined
  const found = filterOptions(all, typed).slice(0, MAX_SUGGESTIONS)
  const options = isComplete
    ? []
    : [
        ...found.flatMap(({ id: key }) => all.find((one) => one.id === key) ?? []),
        ...(created && closedText !== text ? [created] : []),
      ]
  const index = active.text === text ? active.index : 0
  const choose = (option: SuggestedName | undefined) => {
    if (!option) return
    onChoose(`${mark}${typed}`)
    option.choose()
  }
  const handleKeyDown = (event: KeyboardEvent): boolean => {
    const { key, ctrlKey, metaKey, altKey } = event
    if (options.length === 0 || ctrlKey || metaKey || altKey) return false
    const step = { ArrowDown: 1, ArrowUp: -1 }[key]
    if (step !== undefined)
      setActive({ text, index: (index + step + options.length) % options.length })
    else if (key === 'Enter' || (key === 'Tab' && !event.shiftKey)) choose(options[index])
    else if (key === 'Escape') setClosedText(text)
    else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }
  const isOpen = options.length > 0
  return {
    handleKeyDown,
    aria: {
      'aria-expanded': isOpen,
      'aria-autocomplete': 'list',
      ...(isOpen && { 'aria-controls': id, 'aria-activedescendant': `${id}-${index}` }),
    },
    element: isOpen && (
      <div className="names float" role="listbox" id={id} aria-label={composerMessages.suggestions}>
        {options.map((option, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the text field, which keeps the focus
          <div
            key={option.id}
            role="option"
            id={`${id}-${at}`}
            tabIndex={-1}
            aria-selected={at === index}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(option)}
          >
            <span aria-hidden="true">{option.mark ?? <Icon name="plus" />}</span>
            <span className="clip">{option.label}</span>
          </div>
        ))}
      </div>
    ),
  }
}
