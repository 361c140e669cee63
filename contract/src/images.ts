import { imageSizes } from '@dealdeck/marketplace/image-links'
import { z } from 'zod'
import { route } from './access.ts'

const sizes = imageSizes.map(({ name }) => name)

const imageSizeSchema = z.enum(sizes, { error: `must be one of ${sizes.join(', ')}` })

/** `asin` takes whatever holds one: the ID itself, an ISBN, a product address. */
const imageInputSchema = z.object({
  asin: z.string().max(4000, 'must be at most 4000 characters long').default(''),
  size: imageSizeSchema.default('large'),
})

export const imageRoutes = {
  get: route
    .route({ method: 'GET', path: '/api/images', summary: "The address of a product's picture" })
    .meta({ access: 'user' })
    .input(imageInputSchema)
    .output(z.object({ url: z.string() })),
}
