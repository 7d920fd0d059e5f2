import { useMemo, useRef, useState } from 'react'
import {
  Autocomplete,
  Input,
  ListBox,
  ListBoxItem,
  type Selection,
  TextField,
} from 'react-aria-components'
import { m } from '../../messages/ui.ts'
import type { Option, PickFloat } from '../floats.ts'
import { Icon } from '../icon.tsx'
import { foundOptions, isNamed, merged } from '../options.ts'
import { messageOf } from '../trouble.tsx'
import { FloatBy, mayFocusField } from './float.tsx'
import { useFound } from './found.ts'

const CREATE = '+create'

/** A list to search and pick from, beside its anchor. */
export function FloatingPick({ onClose, ...pick }: PickFloat & { onClose: () => void }) {
  const { anchor, label, options, picked, several = false, some = [], create, onPick } = pick
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>(picked)
  const [touched, setTouched] = useState<readonly string[]>([])
  const [made, setMade] = useState<readonly Option[]>([])
  const [trouble, setTrouble] = useState<unknown>()
  const { found, searching, error } = useFound(pick.search, typed)
  // What was picked stands first, and stays there while the picker is open.
  const all = useMemo(() => {
    const first = (id: string) => (several && (picked.includes(id) || some.includes(id)) ? 0 : 1)
    return merged(made, options).toSorted((a, b) => first(a.id) - first(b.id))
  }, [made, options, picked, several, some])
  const shown = merged(foundOptions(all, typed), found)
  const name = typed.trim()
  const creates = create && name !== '' && !isNamed(all, name) ? create : undefined

  const finished = useRef<readonly string[]>(undefined)
  const finish = (ids: readonly string[]) => {
    finished.current = ids
    const added = ids.filter((id) => !picked.includes(id))
    const removed = [...picked, ...some.filter((id) => touched.includes(id))].filter(
      (id) => !ids.includes(id),
    )
    onClose()
    if (added.length + removed.length > 0) onPick([...ids], { added, removed })
  }
  const make = async (by: NonNullable<PickFloat['create']>) => {
    setTrouble(undefined)
    try {
      const option = await by.run(name)
      // The picker was closed before it was made: it is meant all the same.
      if (finished.current) {
        onPick([...finished.current, option.id], { added: [option.id], removed: [] })
        return
      }
      if (!several) return finish([option.id])
      setMade([option, ...made])
      setChosen([...chosen, option.id])
      setTyped('')
    } catch (error) {
      setTrouble(error)
    }
  }
  const select = (selection: Selection) => {
    const ids = selection === 'all' ? shown.map(({ id }) => id) : [...selection].map(String)
    if (ids.includes(CREATE)) {
      if (creates) void make(creates)
      return
    }
    if (!several) return finish(ids.length > 0 ? ids : chosen)
    // What is picked but not shown for what is typed stays picked.
    const hidden = chosen.filter((id) => !shown.some((option) => option.id === id))
    const next = [...hidden, ...ids]
    const changed = [...next, ...chosen].filter((id) => next.includes(id) !== chosen.includes(id))
    setTouched([...touched, ...changed])
    setChosen(next)
  }
  const tickOf = (id: string) => {
    if (id === CREATE) return <Icon name="plus" />
    if (chosen.includes(id)) return <Icon name="check" />
    return some.includes(id) && !touched.includes(id) && <Icon name="minus" />
  }
  const entries = creates ? [...shown, { id: CREATE, label: creates.label(name) }] : shown
  return (
    <FloatBy anchor={anchor} label={label} onClose={() => finish(several ? chosen : picked)}>
      <Autocomplete inputValue={typed} onInputChange={setTyped}>
        <TextField aria-label={label} autoFocus={mayFocusField()} className="pick-find">
          <Icon name="search" />
          <Input placeholder={pick.placeholder ?? m.find} />
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
              {searching ? m.searching : error === undefined && m.nothingFound}
            </p>
          )}
          // The marks depend on more than the entries.
          dependencies={[chosen, touched]}
        >
          {(option: Option) => (
            <ListBoxItem id={option.id} textValue={option.label} className="pick-item">
              <span className="menu-mark" aria-hidden="true">
                {tickOf(option.id)}
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
      {(trouble ?? error) !== undefined && (
        <p className="error" role="alert">
          {messageOf(trouble ?? error)}
        </p>
      )}
    </FloatBy>
  )
}
