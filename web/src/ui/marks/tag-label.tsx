import { nearestHue } from '../../lib/browser/hue.ts'

/** A tag in the palette hue nearest to its `#rrggbb` colour. */
export function TagLabel({ name, color }: { name: string; color: string }) {
  return (
    <span className="tag" data-h={nearestHue(color)}>
      {name}
    </span>
  )
}
