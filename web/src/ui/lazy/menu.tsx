import '../../styles/floats.css'
import { useRef } from 'react'
import {
  Button,
  Header,
  MenuItem as Item,
  Menu,
  MenuTrigger,
  Popover,
  MenuSection as Section,
  SubmenuTrigger,
} from 'react-aria-components'
import type { MenuFloat, MenuItem, MenuSection } from '../floats.ts'
import { Icon } from '../icon.tsx'
import { Keys } from '../keys-shown.tsx'

/** A menu beside its anchor; on a phone at the bottom. Closes when something was chosen. */
export function FloatingMenu({
  anchor,
  label,
  sections,
  onClose,
}: MenuFloat & { onClose: () => void }) {
  const trigger = useRef(anchor)
  return (
    <MenuTrigger
      isOpen
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
    >
      {/* The menu's real button is anywhere on the page; this one only gives the menu its name. */}
      <Button className="sr" excludeFromTabOrder>
        {label}
      </Button>
      <Popover
        className="pop float menu"
        data-overlay
        triggerRef={trigger}
        placement="bottom start"
        offset={4}
      >
        <Items label={label} sections={sections} />
      </Popover>
    </MenuTrigger>
  )
}

function Items({ label, sections }: { label: string; sections: readonly MenuSection[] }) {
  const all = sections.flatMap(({ items }) => items)
  const off = all.filter(({ reason }) => reason !== undefined).map(({ id }) => id)
  return (
    <Menu
      aria-label={label}
      autoFocus="first"
      className="menu-items"
      disabledKeys={off}
      onAction={(key) => {
        const item = all.find(({ id }) => id === key)
        if (item && item.reason === undefined) item.run?.()
      }}
    >
      {sections.map(({ label: name, items }, at) => (
        <Section
          key={name ?? at}
          {...(name === undefined ? { 'aria-label': label } : {})}
          selectionMode={items.some(({ checked }) => checked !== undefined) ? 'multiple' : 'none'}
          selectedKeys={items.filter(({ checked }) => checked).map(({ id }) => id)}
          shouldCloseOnSelect
          className="menu-section"
        >
          {name !== undefined && <Header>{name}</Header>}
          {items.map((item) => (
            <Entry key={item.id} item={item} />
          ))}
        </Section>
      ))}
    </Menu>
  )
}

function Entry({ item }: { item: MenuItem }) {
  const { id, label, hint, icon, mark, shortcut, checked, reason, danger, items } = item
  const entry = (
    <Item
      id={id}
      textValue={label}
      // Sections that can be selected in do not heed the disabled keys of the menu around them.
      isDisabled={reason !== undefined}
      className={danger ? 'menu-item danger' : 'menu-item'}
      {...(reason !== undefined && { 'aria-description': reason })}
    >
      <span className="menu-mark" aria-hidden="true">
        {checked ? <Icon name="check" /> : icon && <Icon name={icon} />}
      </span>
      {mark && <span aria-hidden="true">{mark}</span>}
      <span className="menu-label">
        {label}
        {reason !== undefined && <small>{reason}</small>}
      </span>
      {hint && <span className="quiet">{hint}</span>}
      {shortcut && <Keys of={shortcut} />}
      {items && <Icon name="right" />}
    </Item>
  )
  if (!items) return entry
  return (
    <SubmenuTrigger>
      {entry}
      <Popover className="pop float menu" data-overlay offset={-2}>
        <Items label={label} sections={[{ items }]} />
      </Popover>
    </SubmenuTrigger>
  )
}
