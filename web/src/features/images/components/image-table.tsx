import { imageSizes } from '@dealdeck/marketplace/image-links'
import { memo } from 'react'
import { ScrollRegion } from '../../../ui/scroll-region.tsx'
import type { ListedItem } from '../view.ts'
import classes from './image-list.module.css'

/** One row an item, one column a size. Drawn anew only when the list changes. */
export const ImageTable = memo(function ImageTable({ items }: { items: readonly ListedItem[] }) {
  return (
    <ScrollRegion label="Links">
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">ASIN</th>
            {imageSizes.map(({ name, box }) => (
              <th key={name} scope="col">
                {name} <span className={classes.box}>{box.replace('x', '×')}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map(({ asin, links }) => (
            <tr key={asin}>
              <th scope="row">{asin}</th>
              {imageSizes.map(({ name }) => (
                <td key={name}>
                  <a href={links[name]} target="_blank" rel="noopener noreferrer">
                    …/{links[name].split('/').slice(-2).join('/')}
                  </a>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
})
