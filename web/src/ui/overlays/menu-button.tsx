import { OverlayButton, type OverlayButtonBaseProps } from './overlay-button.tsx'
import type { MenuItem, MenuSection } from './overlay-stack.ts'

export type { MenuItem, MenuSection }

type MenuContent = { items: readonly MenuItem[] } | { sections: readonly MenuSection[] }

/** A button that opens a menu; `label` names both. */
export function MenuButton(props: OverlayButtonBaseProps & MenuContent) {
  const { content, rest } = splitProps(props)
  return (
    <OverlayButton
      {...rest}
      overlayKind="menu"
      createOverlay={(anchor) => ({
        kind: 'menu',
        anchor,
        label: rest.label,
        sections: toSections(content),
      })}
    />
  )
}

const toSections = (content: MenuContent): readonly MenuSection[] =>
  'sections' in content ? content.sections : [{ items: content.items }]

function splitProps(props: OverlayButtonBaseProps & MenuContent): {
  content: MenuContent
  rest: OverlayButtonBaseProps
} {
  if ('sections' in props) {
    const { sections, ...rest } = props
    return { content: { sections }, rest }
  }
  const { items, ...rest } = props
  return { content: { items }, rest }
}
