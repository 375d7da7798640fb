import { maxCategories } from '../database/quotas.ts'
import { formatNumber } from '../domain/doc.ts'
import type { EndpointGroup } from '../openapi/endpoint.ts'
import { conflict, deleted, etagResponses, json, list } from '../openapi/response-descriptions.ts'
import { maxSuggestions } from './contract.ts'
import { category, categoryConflict, suggestedCategories } from './response-contract.ts'

export const categoryEndpoints: EndpointGroup = {
  tag: 'Categories',
  description: 'What money is spent on, and where it comes from. Every user starts with a set of them.',
  endpoints: {
    'GET /api/categories': {
      id: 'listCategories',
      summary: 'List categories',
      description: 'In the order they were created, those that the user started with first.',
      responses: etagResponses(list(category, 'All categories.')),
    },
    'POST /api/categories': {
      id: 'createCategory',
      summary: 'Create a category',
      description: `Name and type together are unique, without regard to case: a second one is a 422 under \`name\`. A user has at most ${formatNumber(maxCategories)} categories.`,
      body: { name: 'NewCategory', example: { name: 'Pets', type: 'expense' } },
      responses: {
        201: json(category, 'The new category.'),
        200: json(category, 'The category that the same `Idempotency-Key` created before.'),
      },
      invalid: { errors: { name: ['The name has already been taken.'] } },
    },
    'POST /api/categories/suggest': {
      id: 'suggestCategories',
      summary: 'Suggest categories',
      description: `For up to ${maxSuggestions} rows: the category in which the last three rows of the same payee are, or four of the last five. Imports do the same with \`categorise=learned\`.`,
      body: {
        name: 'CategorySuggestions',
        example: { items: [{ description: 'LIDL 4711 BERLIN', type: 'expense', account_id: 1 }] },
      },
      responses: { 200: json(suggestedCategories, 'A category or null for each item.') },
      invalid: { errors: { items: ['The items field is required.'] } },
    },
    'GET /api/categories/:id': {
      id: 'showCategory',
      summary: 'Show a category',
      description: 'Its name, type and version.',
      responses: etagResponses(json(category, 'The category.')),
    },
    'PUT /api/categories/:id': {
      id: 'updateCategory',
      summary: 'Change a category',
      description: 'Its transactions keep it, and their totals appear under its new name.',
      body: { name: 'CategoryChanges', example: { name: 'Cats and dogs' } },
      responses: {
        200: json(category, 'The category as it is now.'),
        412: conflict(categoryConflict, 'CategoryConflict'),
      },
      invalid: { errors: { type: ['The selected type is invalid.'] } },
    },
    'DELETE /api/categories/:id': {
      id: 'deleteCategory',
      summary: 'Delete a category',
      description: 'Its transactions stay, without a category.',
      responses: { 204: deleted, 412: conflict(categoryConflict, 'CategoryConflict') },
      failures: ['OutOfBounds'],
    },
  },
}
