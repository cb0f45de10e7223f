// Texts of forms that are generated from a JSON Schema.

export const strings = {
  value: 'Value',
  anyValue: 'Any value',
  valueType: (label: string) => `Type of ${label}`,
  slider: (label: string) => `${label}, slider`,
  addItem: 'Add item',
  itemName: (label: string, index: number) => `${label} ${index}, name`,
  itemValue: (label: string, index: number) => `${label} ${index}, value`,

  file: {
    choose: 'Drop a file or choose one',
    url: 'or enter the URL of a file',
    remove: 'Remove file',
    progress: 'Upload progress',
    rejected: 'Upload rejected',
    interrupted: 'Upload interrupted',
    interruptedText: 'Check your connection and try again.',
  },

  faults: {
    required: (label: string) => `${label} is required`,
    type: (types: readonly string[]) => `Must be ${types.join(' or ')}`,
    enum: 'Choose a value from the list',
    minimum: (value: number) => `Must be at least ${value}`,
    maximum: (value: number) => `Must be at most ${value}`,
    above: (value: number) => `Must be greater than ${value}`,
    below: (value: number) => `Must be less than ${value}`,
    minLength: (count: number) => `Must have at least ${count} characters`,
    maxLength: (count: number) => `Must have at most ${count} characters`,
    minItems: (count: number) => `Must have at least ${count} items`,
    maxItems: (count: number) => `Must have at most ${count} items`,
  },
} as const
