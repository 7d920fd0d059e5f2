import '../overlays/popover.css'
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
import { ShortcutKeys } from '../keyboard/shortcut-keys.tsx'
import { Icon } from '../marks/icon.tsx'
import type { MenuItem, MenuOverlay, MenuSection } from '../overlays/overlay-stack.ts'

/** A menu beside its anchor, or at the bottom of a phone; it closes when an entry is chosen. */
export function MenuPopover({
  anchor,
  atPoint,
  label,
  sections,
  onClose,
}: MenuOverlay & { onClose: () => void }) {
  const trigger = useRef(anchor)
  return (
    <MenuTrigger
      isOpen
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
    >
      {/* The visible button is elsewhere on the page; this one only names the menu. */}
      <Button className="sr" excludeFromTabOrder>
        {label}
      </Button>
      <Popover
        className="pop float menu"
        data-overlay
        triggerRef={trigger}
        // A phone has no room beside it.
        placement={atPoint && innerWidth >= 600 ? 'right top' : 'bottom start'}
        offset={4}
      >
        <MenuEntries label={label} sections={sections} />
      </Popover>
    </MenuTrigger>
  )
}

function MenuEntries({ label, sections }: { label: string; sections: readonly MenuSection[] }) {
  const allItems = sections.flatMap(({ items }) => items)
  const disabledIds = allItems.filter(({ reason }) => reason !== undefined).map(({ id }) => id)
  return (
    <Menu
      aria-label={label}
      autoFocus="first"
      className="menu-items"
      disabledKeys={disabledIds}
      onAction={(key) => {
        const item = allItems.find(({ id }) => id === key)
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
            <MenuEntry key={item.id} item={item} />
          ))}
        </Section>
      ))}
    </Menu>
  )
}

function MenuEntry({ item }: { item: MenuItem }) {
  const { id, label, hint, icon, mark, shortcut, checked, reason, danger, items } = item
  const entry = (
    <Item
      id={id}
      textValue={label}
      // Sections with a selection mode ignore the `disabledKeys` of the menu around them.
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
      {shortcut && <ShortcutKeys of={shortcut} />}
      {items && <Icon name="right" />}
    </Item>
  )
  if (!items) return entry
  return (
    <SubmenuTrigger>
      {entry}
      <Popover className="pop float menu" data-overlay offset={-2}>
        <MenuEntries label={label} sections={[{ items }]} />
      </Popover>
    </SubmenuTrigger>
  )
}
