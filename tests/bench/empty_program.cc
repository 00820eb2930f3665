// What starting a static program costs: validate_bench compares with it.
int main() { return 0; }
