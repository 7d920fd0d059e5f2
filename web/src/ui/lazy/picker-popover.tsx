import './popover.css'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import {
  Autocomplete,
  Input,
  ListBox,
  ListBoxItem,
  type Selection,
  TextField,
} from 'react-aria-components'
import { showToast } from '../../data/app/toasts.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { uiMessages } from '../../messages/app/ui.ts'
import { getErrorMessage } from '../feedback/error-message.tsx'
import { Icon } from '../marks/icon.tsx'
import type { PickerOption, PickerOverlay } from '../overlays/overlay-stack.ts'
import { filterOptions, hasOptionNamed, mergeOptions } from '../overlays/picker-options.ts'
import { AnchoredSheet, canAutoFocusField } from './anchored-sheet.tsx'

const CREATE_ID = '+create'

/** A searchable list beside its anchor. */
export function PickerPopover({ onClose, ...pick }: PickerOverlay & { onClose: () => void }) {
  const { anchor, label, options, picked, several = false, some = [], create, onPick } = pick
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>(picked)
  const [touched, setTouched] = useState<readonly string[]>([])
  const [createdOptions, setCreatedOptions] = useState<readonly PickerOption[]>([])
  const [createError, setCreateError] = useState<unknown>()
  const { found, searching, error } = useOptionSearch(pick.search, typed)
  // The initially picked options come first and keep their place while the picker is open.
  const allOptions = useMemo(() => {
    const rank = (id: string) => (several && (picked.includes(id) || some.includes(id)) ? 0 : 1)
    return mergeOptions(createdOptions, options).toSorted((a, b) => rank(a.id) - rank(b.id))
  }, [createdOptions, options, picked, several, some])
  const shown = mergeOptions(filterOptions(allOptions, typed), found)
  const name = typed.trim()
  const creatable = create && name !== '' && !hasOptionNamed(allOptions, name) ? create : undefined

  const finishedIds = useRef<readonly string[]>(undefined)
  const finish = (ids: readonly string[]) => {
    finishedIds.current = ids
    const added = ids.filter((id) => !picked.includes(id))
    const removed = [...picked, ...some.filter((id) => touched.includes(id))].filter(
      (id) => !ids.includes(id),
    )
    onClose()
    if (added.length + removed.length > 0) onPick([...ids], { added, removed })
  }
  const createOption = async (creator: NonNullable<PickerOverlay['create']>) => {
    setCreateError(undefined)
    try {
      const option = await creator.run(name)
      // The picker was closed before the option was created, which still counts as picked.
      if (finishedIds.current) {
        onPick([...finishedIds.current, option.id], { added: [option.id], removed: [] })
        return
      }
      if (!several) return finish([option.id])
      // More may have been chosen or typed meanwhile.
      setCreatedOptions((created) => [option, ...created])
      setChosen((current) => [...current, option.id])
      setTyped((current) => (current.trim() === name ? '' : current))
    } catch (error) {
      setCreateError(error)
      if (!finishedIds.current) return
      const text = mutationMessages.notDone(creator.label(name), getErrorMessage(error))
      showToast({ text, tone: 'trouble' })
    }
  }
  const select = (selection: Selection) => {
    const ids = selection === 'all' ? shown.map(({ id }) => id) : [...selection].map(String)
    if (ids.includes(CREATE_ID)) {
      if (creatable) void createOption(creatable)
      return
    }
    if (!several) return finish(ids.length > 0 ? ids : chosen)
    // Picked options that the filter hides stay picked.
    const hidden = chosen.filter((id) => !shown.some((option) => option.id === id))
    const next = [...hidden, ...ids]
    const changed = [...next, ...chosen].filter((id) => next.includes(id) !== chosen.includes(id))
    setTouched([...touched, ...changed])
    setChosen(next)
  }
  const getCheckMark = (id: string) => {
    if (id === CREATE_ID) return <Icon name="plus" />
    if (chosen.includes(id)) return <Icon name="check" />
    return some.includes(id) && !touched.includes(id) && <Icon name="minus" />
  }
  const entries = creatable ? [...shown, { id: CREATE_ID, label: creatable.label(name) }] : shown
  const pickFirst = () => {
    const first = entries.find(({ reason }: PickerOption) => reason === undefined)
    if (!first) return
    const visible = several ? chosen.filter((id) => shown.some((one) => one.id === id)) : []
    select(new Set(visible).symmetricDifference(new Set([first.id])))
  }
  /** What was typed when Enter was pressed before its options were found. */
  const awaited = useRef('')
  // Typing marks the first option, but not if it leaves the list as it was.
  const pickUnmarked = (event: KeyboardEvent<HTMLInputElement>) => {
    const isTaken = event.isDefaultPrevented() || event.nativeEvent.isComposing
    if (event.key !== 'Enter' || isTaken || name === '') return
    if (searching) awaited.current = name
    else pickFirst()
  }
  useEffect(() => {
    if (searching || awaited.current === '') return
    if (awaited.current === name && error === undefined) pickFirst()
    awaited.current = ''
  })
  return (
    <AnchoredSheet anchor={anchor} label={label} onClose={() => finish(several ? chosen : picked)}>
      <Autocomplete inputValue={typed} onInputChange={setTyped}>
        <TextField aria-label={label} autoFocus={canAutoFocusField()} className="pick-find">
          <Icon name="search" />
          <Input placeholder={pick.placeholder ?? uiMessages.find} onKeyDown={pickUnmarked} />
        </TextField>
        <ListBox
          aria-label={label}
          className="pick-list"
          items={entries}
          selectionMode={several ? 'multiple' : 'single'}
          escapeKeyBehavior="none"
          selectedKeys={chosen}
          disabledKeys={shown.filter(({ reason }) => reason !== undefined).map(({ id }) => id)}
          onSelectionChange={select}
          renderEmptyState={() => (
            <p className="quiet">
              {searching ? uiMessages.searching : error === undefined && uiMessages.nothingFound}
            </p>
          )}
          // The check marks depend on state outside the items.
          dependencies={[chosen, touched]}
        >
          {(option: PickerOption) => (
            <ListBoxItem id={option.id} textValue={option.label} className="pick-item">
              <span className="menu-mark" aria-hidden="true">
                {getCheckMark(option.id)}
              </span>
              {option.mark && <span aria-hidden="true">{option.mark}</span>}
              <span className="menu-label">
                {option.label}
                {option.reason !== undefined && <small>{option.reason}</small>}
              </span>
              {option.hint && <span className="quiet">{option.hint}</span>}
            </ListBoxItem>
          )}
        </ListBox>
      </Autocomplete>
      {(createError ?? error) !== undefined && (
        <p className="error" role="alert">
          {getErrorMessage(createError ?? error)}
        </p>
      )}
    </AnchoredSheet>
  )
}

const SEARCH_DEBOUNCE_MS = 120

interface OptionSearchState {
  found: readonly PickerOption[]
  searching: boolean
  /** Why the search failed. */
  error?: unknown
}

/** Runs a debounced search for a typed text and ignores stale responses. */
function useOptionSearch(search: PickerOverlay['search'], typed: string): OptionSearchState {
  const [state, setState] = useState<OptionSearchState>({
    found: [],
    searching: search !== undefined,
  })
  useEffect(() => {
    if (!search) return
    const controller = new AbortController()
    setState(({ found }) => ({ found, searching: true }))
    const timer = setTimeout(
      async () => {
        try {
          const found = await search(typed.trim(), controller.signal)
          if (!controller.signal.aborted) setState({ found, searching: false })
        } catch (error) {
          if (!controller.signal.aborted) setState({ found: [], searching: false, error })
        }
      },
      typed === '' ? 0 : SEARCH_DEBOUNCE_MS,
    )
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [search, typed])
  return state
}
